#!/bin/sh
# Brings the two databases of a Temporal server on PostgreSQL to the schema of its release; harmless to repeat, and the way to
# update: run it with the newer tool before the newer server. SQL_HOST, SQL_PORT and SQL_USER say where, SQL_PASSWORD or the file
# SQL_PASSWORD_FILE with which password. The databases are there already: their owner makes them (compose/create-databases.sh).
set -eu

tool=${TEMPORAL_SQL_TOOL:-temporal-sql-tool}
[ -z "${SQL_PASSWORD_FILE:-}" ] || SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD SQL_PLUGIN=postgres12

for database in temporal temporal_visibility; do
  export SQL_DATABASE=$database
  schema=postgresql/v12/${database#temporal_}
  # A database that has no version yet gets its first tables; one that has a version is only updated.
  "$tool" update-schema --schema-name "$schema" 2>/dev/null || {
    "$tool" setup-schema --version 0.0
    "$tool" update-schema --schema-name "$schema"
  }
done
