-- Views of lists that a person has saved: filters under a name. They belong to nobody else, and to no environment. Like everything of a
-- person the table is closed to the role of row-level security.

-- CreateTable
CREATE TABLE "views" (
    "id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "page" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "search" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "views_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "views_user_id_id_idx" ON "views"("user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "views_user_id_page_name_key" ON "views"("user_id", "page", "name");

-- AddForeignKey
ALTER TABLE "views" ADD CONSTRAINT "views_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
