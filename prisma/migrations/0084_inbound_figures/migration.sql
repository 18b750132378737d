-- Figures of inbound webhooks (docs/decisions.md, Figures). The statements that write down a request add a row in their own transaction. A
-- worker sums these up into `stat_counts` and removes them. A table of its own, as 0083_run_figures says. The engine alone writes it.

-- CreateTable
CREATE TABLE "inbound_stat_parts" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "inbound_webhook_id" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "code" SMALLINT NOT NULL,

    CONSTRAINT "inbound_stat_parts_pkey" PRIMARY KEY ("id")
);
