-- The authentication code of each version, made when it is stored (decision 0018). It is null for versions of earlier
-- releases.

alter table change add column mac text collate "C";
