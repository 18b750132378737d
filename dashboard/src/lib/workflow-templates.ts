/** Definitions to start from, one for each common way that a run starts or waits. */
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
  wait: `{
  "name": "Unpaid invoice",
  "trigger": {
    "type": "event",
    "config": { "eventTypes": ["invoice.sent"] }
  },
  "steps": [
    {
      "id": "paid",
      "type": "wait_for_event",
      "config": {
        "eventTypes": ["invoice.paid"],
        "match": [{ "event": "event.payload.invoiceId", "run": "event.payload.invoiceId" }],
        "timeout": "14d",
        "onTimeout": "remind"
      },
      "next": null
    },
    {
      "id": "remind",
      "type": "action",
      "config": { "action": "log", "text": "Invoice {{ event.payload.invoiceId }} is not paid" }
    }
  ]
}`,
  loop: `{
  "name": "Reserve each line",
  "trigger": {
    "type": "event",
    "config": { "eventTypes": ["order.paid"] }
  },
  "steps": [
    {
      "id": "each",
      "type": "foreach",
      "config": { "items": "event.payload.lines", "body": "reserve", "concurrency": 5 },
      "next": "done"
    },
    {
      "id": "reserve",
      "type": "action",
      "config": { "action": "http", "method": "POST", "url": "https://stock.example.com/reservations", "body": "{{ item }}" }
    },
    {
      "id": "done",
      "type": "action",
      "config": { "action": "log", "text": "{{ event.payload.orderId }} is reserved" }
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
