"""Makes a channel and a subscription, publishes a message and lists messages with the client of openapi-python-client."""

import json
import os

from posthorn import AuthenticatedClient
from posthorn.api.channels import channels_create, channels_get
from posthorn.api.messages import messages_list, messages_publish
from posthorn.api.subscriptions import subscriptions_create
from posthorn.models import (
    Channel,
    ChannelStatus,
    CreateChannel,
    CreateSubscription,
    CreateSubscriptionHeadersType0,
    CreatedSubscription,
    ErrorResponse,
    ChannelMessagesPage,
    PublishedMessage,
    PublishMessage,
    PublishMessagePayload,
)

with AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["KEY"]) as client:
    channel = channels_create.sync(client=client, body=CreateChannel(name="orders", status=ChannelStatus.ACTIVE))
    assert isinstance(channel, Channel), channel
    headers = CreateSubscriptionHeadersType0.from_dict({"x-shop": "1"})
    subscription = subscriptions_create.sync(
        client=client,
        body=CreateSubscription(
            channel_id=channel.id, webhook_url="https://example.com/hook", event_types=["order.*"], headers=headers
        ),
    )
    assert isinstance(subscription, CreatedSubscription), subscription
    payload = PublishMessagePayload.from_dict({"order": {"id": 1}})
    message = messages_publish.sync(
        channel.id, client=client, body=PublishMessage(event_type="order.created", payload=payload)
    )
    assert isinstance(message, PublishedMessage), message
    page = messages_list.sync(channel.id, client=client, limit=10)
    assert isinstance(page, ChannelMessagesPage), page
    refused = channels_get.sync("chn_none", client=client)
    assert isinstance(refused, ErrorResponse), refused
    print(
        json.dumps(
            {
                "channelId": channel.id,
                "subscriptionId": subscription.id,
                "messageId": message.id,
                "listed": [each.id for each in page.data],
                "refusal": refused.error.code.value,
            }
        )
    )
