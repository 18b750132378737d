-- What was being worked on when a process died (src/crashes). Both tables stay small: a row goes with the work, or an hour later.

-- Work that a process has in hand. A row whose lease has run out says that its process died, or stood still, in the middle.
-- CreateTable
CREATE TABLE "work_in_hand" (
    "kind" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "holder" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "work_in_hand_pkey" PRIMARY KEY ("kind","id","holder")
);

-- CreateIndex
CREATE INDEX "work_in_hand_holder_idx" ON "work_in_hand"("holder");

-- Deaths by one part of such work, counted before it is taken up again and taken away once it has been survived.
-- CreateTable
CREATE TABLE "work_deaths" (
    "kind" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "part" TEXT COLLATE "C" NOT NULL,
    "deaths" INTEGER NOT NULL,
    "holder" TEXT COLLATE "C" NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "work_deaths_pkey" PRIMARY KEY ("kind","id","part")
);
