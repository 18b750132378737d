-- Whether a worker gets no answer of Temporal, written with its lease: everybody may know that deliveries wait (docs/api.md, Figures).
-- Workers of an older release leave the default. The table has one row for each worker.

-- AlterTable
ALTER TABLE "incarnations" ADD COLUMN "is_temporal_away" BOOLEAN NOT NULL DEFAULT false;
