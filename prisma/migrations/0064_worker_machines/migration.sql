-- The boot and the namespace of process ids in which a worker's pid names it: two containers may have one host name.
ALTER TABLE "incarnations" ADD COLUMN IF NOT EXISTS "machine" TEXT;
