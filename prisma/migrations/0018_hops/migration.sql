-- How many deliveries stand one behind the other before this message: the mark of the request that published it. Null for none.
-- Without a default: the rows that are there are not written anew.
ALTER TABLE "messages" ADD COLUMN "hops" SMALLINT;
ALTER TABLE "scheduled_messages" ADD COLUMN "hops" SMALLINT;
