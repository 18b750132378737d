/** Definitions to begin with, one for each way that a run mostly begins or waits. */
export const TEMPLATES = {
  event: `{
  "name": "Large orders",
  "trigger": {
    "type": "event",
    "config": { "eventTypes": ["order.created"], "filter": "payload.total > 100" }
  },
  "steps": [
    {
      "id": "note",
      "type": "action",
      "config": { "action": "log", "text": "An order of {{ event.payload.total }}" }
    }
  ]
}`,
  schedule: `{
  "name": "Daily report",
  "trigger": {
    "type": "schedule",
    "config": { "cron": "0 9 * * 1-5", "timezone": "Europe/Berlin", "payload": { "list": "open" } }
  },
  "steps": [
    {
      "id": "report",
      "type": "action",
      "config": { "action": "http", "url": "https://reports.example.com/daily", "body": { "list": "{{ event.payload.list }}" } }
    }
  ]
}`,
  approval: `{
  "name": "Refunds with approval",
  "trigger": {
    "type": "event",
    "config": { "eventTypes": ["refund.requested"] }
  },
  "steps": [
    {
      "id": "ask",
      "type": "approval",
      "config": { "title": "Refund {{ event.payload.amount }}?", "timeout": "3d", "approved": "pay", "rejected": null }
    },
    {
      "id": "pay",
      "type": "action",
      "config": { "action": "log", "text": "Refund {{ event.payload.orderId }}" }
    }
  ]
}`,
  empty: `{
  "name": "New workflow",
  "trigger": {
    "type": "manual",
    "config": {}
  },
  "steps": []
}`,
} as const;

// `as`: the keys of the table.
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[];
