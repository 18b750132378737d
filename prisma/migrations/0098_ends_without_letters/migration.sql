-- Whether the run that fails now is no dead letter: the `end` step that ended it says `deadLetter: false` (docs/workflows.md). The step
-- writes it, and the end of the run reads it. Workers of an older release leave the default, and their runs become dead letters.

-- AlterTable
ALTER TABLE "runs" ADD COLUMN "without_letter" BOOLEAN NOT NULL DEFAULT false;
