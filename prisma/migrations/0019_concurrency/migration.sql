-- What each worker allows a subscription at this moment: what GET /v1/subscriptions/{id} shows as `concurrency`.

-- CreateTable
-- Not UNLOGGED, although nothing is lost with it: a standby that is not promoted yet could not read it, and GET would fail there.
CREATE TABLE "subscription_concurrency" (
    "subscription_id" TEXT COLLATE "C" NOT NULL,
    "incarnation_id" TEXT COLLATE "C" NOT NULL,
    "limit" INTEGER NOT NULL,
    "in_flight" INTEGER NOT NULL,
    "latency_ms" INTEGER,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_concurrency_pkey" PRIMARY KEY ("subscription_id","incarnation_id")
) WITH (fillfactor = 50);
-- Rows change once a second while there is traffic: with room on their page the index stays as it is.
