-- Each version of a workflow names who has made it. Null: made by a release before this one.
ALTER TABLE "workflow_versions" ADD COLUMN IF NOT EXISTS "made_by" TEXT COLLATE "C";
