#!/bin/sh
# Run by the database image on its first start: the two roles, the database, their rights, and
# the extension for dense search.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
    --set owner_password="$OWNER_PASSWORD" --set app_password="$APP_PASSWORD" \
    --file /roles/roles.sql
psql --set ON_ERROR_STOP=1 --username postgres --dbname certify --file /roles/grants.sql
psql --set ON_ERROR_STOP=1 --username postgres --dbname certify --file /roles/extensions.sql
