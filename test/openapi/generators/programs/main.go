// Makes a channel and a subscription, publishes a message and lists messages with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/generated/posthorn"
)

func main() {
	if err := run(context.Background(), os.Getenv("URL"), os.Getenv("KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, key string) error {
	client, err := posthorn.NewClientWithResponses(url, posthorn.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	if err != nil {
		return err
	}
	active := posthorn.ChannelStatusActive
	channel, err := client.ChannelsCreateWithResponse(ctx, nil, posthorn.CreateChannel{Name: "orders", Status: &active})
	if err != nil || channel.JSON201 == nil {
		return fmt.Errorf("no channel was made: %v %s", err, channel.Body)
	}
	subscription, err := client.SubscriptionsCreateWithResponse(ctx, nil, posthorn.CreateSubscription{
		ChannelId:  channel.JSON201.Id,
		WebhookUrl: "https://example.com/hook",
		EventTypes: &[]string{"order.*"},
		Headers:    &map[string]string{"x-shop": "1"},
	})
	if err != nil || subscription.JSON201 == nil {
		return fmt.Errorf("no subscription was made: %v %s", err, subscription.Body)
	}
	message, err := client.MessagesPublishWithResponse(ctx, channel.JSON201.Id, nil, posthorn.PublishMessage{
		EventType: "order.created",
		Payload:   map[string]any{"order": map[string]any{"id": 1}},
	})
	if err != nil || message.JSON202 == nil {
		return fmt.Errorf("no message was published: %v %s", err, message.Body)
	}
	limit := 10
	page, err := client.MessagesListWithResponse(ctx, channel.JSON201.Id, &posthorn.MessagesListParams{Limit: &limit})
	if err != nil || page.JSON200 == nil {
		return fmt.Errorf("no message was listed: %v %s", err, page.Body)
	}
	listed := []string{}
	for _, each := range page.JSON200.Data {
		listed = append(listed, each.Id)
	}
	refused, err := client.ChannelsGetWithResponse(ctx, "chn_none")
	if err != nil || refused.JSON404 == nil {
		return fmt.Errorf("a channel that is not there was found: %v %s", err, refused.Body)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"channelId":      channel.JSON201.Id,
		"subscriptionId": subscription.JSON201.Id,
		"messageId":      message.JSON202.Id,
		"listed":         listed,
		"refusal":        refused.JSON404.Error.Code,
	})
}
