"""Makes a channel and a subscription, publishes a message and lists messages with the models of datamodel-codegen."""

import json
import os
from typing import TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pydantic import BaseModel

from posthorn import (
    Channel,
    ChannelStatus,
    CreateChannel,
    CreatedSubscription,
    CreateSubscription,
    ErrorResponse,
    ChannelMessagesPage,
    PublishedMessage,
    PublishMessage,
)

Answer = TypeVar("Answer", bound=BaseModel)


def call(method: str, path: str, answer: type[Answer], body: BaseModel | None = None) -> Answer:
    data = None if body is None else body.model_dump_json(exclude_unset=True, by_alias=True).encode()
    headers = {"Authorization": f"Bearer {os.environ['KEY']}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(os.environ["URL"] + path, data=data, headers=headers, method=method)) as response:
            return answer.model_validate_json(response.read())
    except HTTPError as refusal:
        return answer.model_validate_json(refusal.read())


channel = call("POST", "/v1/channels", Channel, CreateChannel(name="orders", status=ChannelStatus.active))
subscription = call(
    "POST",
    "/v1/subscriptions",
    CreatedSubscription,
    CreateSubscription(channelId=channel.id, webhookUrl="https://example.com/hook", headers={"x-shop": "1"}),
)
message = call(
    "POST",
    f"/v1/channels/{channel.id}/messages",
    PublishedMessage,
    PublishMessage(eventType="order.created", payload={"order": {"id": 1}}),
)
page = call("GET", f"/v1/channels/{channel.id}/messages?limit=10", ChannelMessagesPage)
refused = call("GET", "/v1/channels/chn_none", ErrorResponse)
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
