-- Figures of traffic (docs/decisions.md, Figures). The statements that publish, record a try or make a dead letter add a row to
-- `stat_parts` in their own transaction. A worker sums these up into `stat_counts`, by minute and by hour, and removes them.

-- CreateTable
CREATE TABLE "stat_parts" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "channel_id" TEXT COLLATE "C",
    "subscription_id" TEXT COLLATE "C",
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accepted" INTEGER NOT NULL DEFAULT 0,
    "dead_letters" INTEGER NOT NULL DEFAULT 0,
    "outcomes" INTEGER[] NOT NULL DEFAULT '{}',

    CONSTRAINT "stat_parts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stat_counts" (
    "of_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "code" SMALLINT NOT NULL,
    "latency_class" SMALLINT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "stat_counts_pkey" PRIMARY KEY ("of_id", "minutes", "at", "code", "latency_class")
);

-- CreateIndex
CREATE INDEX "stat_counts_minutes_at_idx" ON "stat_counts"("minutes", "at");

-- Rows of the present minute and hour are written again and again: with room in their page that touches no index.
ALTER TABLE "stat_counts" SET (fillfactor = 70);

-- Dead letters are made by six statements. One trigger for each of their rows together, and no statement can forget it.
CREATE FUNCTION posthorn_count_dead_letters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_parts (environment_id, channel_id, subscription_id, dead_letters)
  SELECT environment_id, channel_id, subscription_id, count(*) FROM made GROUP BY environment_id, channel_id, subscription_id;
  RETURN NULL;
END $$;
CREATE TRIGGER posthorn_count_dead_letters AFTER INSERT ON dead_letters
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION posthorn_count_dead_letters();

-- Policies as in 0025_row_security: callers read the figures of their environment, and the engine alone writes them.
ALTER TABLE "stat_counts" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_select ON "stat_counts" FOR SELECT USING ((SELECT to_regrole('posthorn_tenant') IS NULL OR NOT pg_has_role(current_user, to_regrole('posthorn_tenant'), 'USAGE'))
  OR ((SELECT has_table_privilege(session_user, 'encryption_keys'::regclass, 'SELECT')) AND environment_id = (SELECT current_setting('posthorn.environment', true))));
