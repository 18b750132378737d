-- How many runs a trigger begins (docs/workflows.md): `dedupe` remembers the run of a key, `concurrency` lets so many runs of a key be
-- under way. Both are the engine's alone. A run that has ended counts no more, whatever stands in `run_gates`.

-- CreateTable
CREATE TABLE "run_keys" (
    "workflow_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "run_id" TEXT COLLATE "C" NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "run_keys_pkey" PRIMARY KEY ("workflow_id", "key")
);

-- CreateIndex
CREATE INDEX "run_keys_until_idx" ON "run_keys"("until");

-- CreateTable
CREATE TABLE "run_gates" (
    "run_id" TEXT COLLATE "C" NOT NULL,
    "environment_id" TEXT COLLATE "C" NOT NULL,
    "gate" TEXT COLLATE "C" NOT NULL,
    "is_inside" BOOLEAN NOT NULL,

    CONSTRAINT "run_gates_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "run_gates_gate_is_inside_run_id_idx" ON "run_gates"("gate", "is_inside", "run_id");

-- CreateIndex
CREATE INDEX "run_gates_queued" ON "run_gates"("gate") WHERE (NOT is_inside);

-- AddForeignKey
ALTER TABLE "run_keys" ADD CONSTRAINT "run_keys_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_gates" ADD CONSTRAINT "run_gates_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
