-- Notes are taken by environment, so that nobody waits for the messages of another one. The table is a queue and small.
CREATE INDEX "heard_messages_environment_id_message_id_idx" ON "heard_messages"("environment_id", "message_id");
