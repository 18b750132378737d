-- Cost of each filter, so that saving another one adds up those of its channel without compiling them (docs/filters.md).
-- `posthorn migrate` fills it for the filters that are there.

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "filter_units" INTEGER;
