#!/bin/sh
# Run once by the PostgreSQL image, when its volume is new: a role for Posthorn and one for Temporal, neither of them a superuser,
# each the owner of its own databases. CREATEROLE lets `posthorn migrate` make the role of row-level security.
set -eu

psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 <<'SQL'
\set posthorn_password `cat /run/secrets/posthorn_password`
\set temporal_password `cat /run/secrets/temporal_password`
CREATE ROLE posthorn LOGIN CREATEROLE PASSWORD :'posthorn_password';
CREATE ROLE temporal LOGIN PASSWORD :'temporal_password';
CREATE DATABASE posthorn OWNER posthorn;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
SQL
