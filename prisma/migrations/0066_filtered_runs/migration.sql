-- A run that a filter ended is completed as one that did everything: this says which filter it was.
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "filtered_by" TEXT;
