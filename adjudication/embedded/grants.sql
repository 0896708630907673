-- What the application may do with every table to come; append-only tables take rights away
-- in their migrations.

ALTER DEFAULT PRIVILEGES FOR ROLE certify_owner
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO certify_app;

ALTER DEFAULT PRIVILEGES FOR ROLE certify_owner
    GRANT USAGE, SELECT ON SEQUENCES TO certify_app;
