-- Two roles share the database: the owner of the tables, used by migrations alone, and the
-- application, which may neither alter a table nor disable a trigger. Commands are separated
-- by an empty line.

CREATE ROLE certify_owner LOGIN CREATEDB PASSWORD :'owner_password';

CREATE ROLE certify_app LOGIN PASSWORD :'app_password';

CREATE DATABASE certify OWNER certify_owner;
