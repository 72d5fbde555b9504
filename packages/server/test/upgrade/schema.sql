set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.assert_settled(is_settled boolean)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if not is_settled then
    raise exception 'what is settled has changed meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_rewriting_but_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.body is not null and new.body is null
    and (new.ledger_id, new.luid, new.change, new.kind, new.action, new.moment)
      = (old.ledger_id, old.luid, old.change, old.kind, old.action, old.moment)
    -- The last change of the record: to look for one among all would make the work of an erasure quadratic.
    and (
      select c.action from change c where c.ledger_id = old.ledger_id and c.luid = old.luid
      order by c.change desc limit 1) = 'erase'
  then
    return new;
  end if;
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_rewriting_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.stored_bytes(ledger bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select ((select coalesce(sum(512 + coalesce(octet_length(body), 0) + coalesce(beside, 0)), 0) from change where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(event) + octet_length(proofs)), 0) from delivery where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(sealed)), 0) from secret where ledger_id = ledger))::bigint
$function$;

create table balance (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  version bigint not null,
  available bigint not null,
  reserved bigint,
  available_luid text collate "C" not null,
  available_moment timestamp with time zone not null,
  available_changed boolean not null,
  reserved_luid text collate "C",
  reserved_moment timestamp with time zone,
  reserved_changed boolean
) with (fillfactor=50);

create table change (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null,
  kind text collate "C" not null,
  action text collate "C" not null,
  moment timestamp with time zone not null,
  hash text collate "C",
  body text,
  mac text collate "C",
  cut integer,
  beside integer
) with (toast_tuple_target=8160);

create table delivery (
  ledger_id bigint not null,
  handle text collate "C" not null,
  seq bigint generated always as identity not null,
  effect text collate "C",
  effect_handle text collate "C",
  effect_change integer,
  effect_domain text collate "C",
  bridge text collate "C",
  target text collate "C" not null,
  record text collate "C",
  linked text collate "C",
  event text not null,
  mac text,
  moment timestamp with time zone not null,
  status text collate "C" default 'pending'::text not null,
  attempts integer default 0 not null,
  tries integer default 0 not null,
  signed timestamp with time zone,
  attempted timestamp with time zone,
  due timestamp with time zone,
  proofs text default ''::text not null,
  purpose text collate "C",
  entry text collate "C",
  given_up text,
  given_up_mac text,
  aside timestamp with time zone
) with (fillfactor=70);

create table delivery_backlog (
  ledger_id bigint not null,
  receiver text collate "C" not null,
  failures integer not null,
  step integer not null,
  allowed integer not null,
  due timestamp with time zone
);

create table delivery_retry (
  ledger_id bigint not null,
  owner text collate "C" not null,
  id text collate "C" not null,
  slot integer not null,
  requested timestamp with time zone not null,
  since timestamp with time zone,
  domains text[] collate "C",
  reached bigint not null,
  until bigint not null,
  worked timestamp with time zone not null
);

create table deployment (
  name text not null,
  value text not null
);

create table entry (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  version bigint not null,
  intent text collate "C" not null,
  change integer not null,
  available_by bigint not null,
  reserved_by bigint not null,
  available bigint not null,
  reserved bigint,
  moment timestamp with time zone not null
);

create table erased_leaf (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null,
  leaf text not null
);

create table erased_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null
);

create table home (
  ledger_id bigint not null,
  holder text collate "C" not null,
  until timestamp with time zone not null,
  moment timestamp with time zone not null
);

create table kysely_migration (
  name character varying(255) not null,
  "timestamp" character varying(255) not null
);

create table kysely_migration_lock (
  id character varying(255) not null,
  is_locked integer default 0 not null
);

create table lease (
  ledger_id bigint not null,
  worker text collate "C" not null,
  unit text collate "C" not null,
  holder text,
  until timestamp with time zone not null,
  failures integer not null
) with (fillfactor=50);

create table ledger (
  id bigint generated always as identity not null,
  handle text collate "C" not null,
  luid text collate "C" not null,
  version bigint default 1 not null,
  owners text[] not null
);

create table log (
  ledger_id bigint not null,
  generation integer not null,
  origin text collate "C" not null,
  size bigint not null,
  edge bytea not null,
  checkpoint text,
  sealed timestamp with time zone,
  mac text,
  cosigned text,
  unwitnessed timestamp with time zone,
  predecessor text,
  stopped text
) with (fillfactor=50);

create table log_backfill (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null
);

create table log_leaf (
  ledger_id bigint not null,
  first bigint not null,
  change integer not null,
  luid text collate "C" not null,
  commitments bytea not null,
  salts bytea
);

create table log_tile (
  ledger_id bigint not null,
  level smallint not null,
  n bigint not null,
  hashes bytea not null
);

create table log_witness (
  ledger_id bigint not null,
  witness text collate "C" not null,
  size bigint not null,
  cosignature text not null
);

create table open_intent (
  ledger_id bigint not null,
  luid text collate "C" not null,
  thread text collate "C" not null,
  version integer not null,
  due timestamp with time zone,
  deadline timestamp with time zone,
  stage text collate "C" not null,
  uses text[] not null,
  state text not null,
  mac text collate "C" not null
);

create table record (
  ledger_id bigint not null,
  kind text collate "C" not null,
  handle text collate "C" not null,
  luid text collate "C" not null,
  change integer not null,
  seq bigint generated always as identity not null,
  hash text collate "C" not null,
  status text collate "C",
  moment timestamp with time zone not null,
  domain text collate "C",
  link text collate "C",
  document jsonb not null,
  link_proven boolean default false not null,
  link_since bigint,
  judged text
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);

create table schedule (
  ledger_id bigint not null,
  policy text collate "C" not null,
  version bigint not null,
  hash text collate "C",
  through timestamp with time zone,
  next_at timestamp with time zone,
  due timestamp with time zone
);

create table secret (
  ledger_id bigint not null,
  luid text collate "C" not null,
  name text collate "C" not null,
  sealed bytea not null
);

create table storage (
  ledger_id bigint not null,
  bytes bigint not null,
  quota bigint
);

create table taken_key (
  ledger_id bigint not null,
  public text collate "C" not null,
  times bigint not null
);

create table unsealed (
  ledger_id bigint not null,
  id bigint generated always as identity not null,
  moment timestamp with time zone default clock_timestamp() not null,
  luids text[] not null,
  changes integer[] not null,
  leaves text[] not null,
  bytes bigint default 0 not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table used_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null
);

create table used_token (
  ledger text collate "C" not null,
  use text collate "C" not null,
  expires_at timestamp with time zone not null
);

create table wallet_limit (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  metric text collate "C" not null,
  version bigint not null,
  amount bigint not null,
  day date,
  used bigint default 0 not null,
  body text not null,
  symbol_luid text collate "C" not null,
  luid text collate "C" not null
);

alter table change alter column ledger_id set statistics 25;

alter table change alter column luid set statistics 25;

alter table change alter column change set statistics 25;

alter table change alter column kind set statistics 25;

alter table change alter column action set statistics 25;

alter table change alter column moment set statistics 0;

alter table change alter column hash set statistics 0;

alter table change alter column body set statistics 0;

alter table change alter column mac set statistics 0;

alter table change alter column cut set statistics 25;

alter table delivery alter column linked set statistics 0;

alter table delivery alter column event set statistics 0;

alter table delivery alter column proofs set statistics 0;

alter table delivery alter column given_up set statistics 0;

alter table entry alter column ledger_id set statistics 25;

alter table entry alter column wallet set statistics 25;

alter table entry alter column symbol set statistics 25;

alter table entry alter column version set statistics 25;

alter table entry alter column intent set statistics 0;

alter table entry alter column change set statistics 0;

alter table entry alter column available_by set statistics 0;

alter table entry alter column reserved_by set statistics 0;

alter table entry alter column available set statistics 0;

alter table entry alter column reserved set statistics 0;

alter table entry alter column moment set statistics 0;

alter table erased_leaf alter column leaf set statistics 0;

alter table log_leaf alter column commitments set statistics 0;

alter table log_leaf alter column salts set statistics 0;

alter table open_intent alter column state set statistics 0;

alter table record alter column hash set statistics 0;

alter table record alter column document set statistics 0;

alter table record alter column judged set statistics 0;

alter table schedule alter column hash set statistics 0;

alter table unsealed alter column leaves set statistics 0;

alter table balance add constraint balance_available_check CHECK ((abs(available) <= '9007199254740991'::bigint));

alter table balance add constraint balance_pkey PRIMARY KEY (ledger_id, wallet, symbol);

alter table balance add constraint balance_reserved_check CHECK (((reserved >= 0) AND (reserved <= '9007199254740991'::bigint)));

alter table balance add constraint balance_version_check CHECK ((version >= 1));

alter table change add constraint change_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'drop'::text, 'erase'::text])));

alter table change add constraint change_change_check CHECK ((change >= 1));

alter table change add constraint change_cut_check CHECK ((cut >= 0));

alter table change add constraint change_is_whole_or_erased CHECK (((num_nulls(body, hash) = ANY (ARRAY[0, 2])) AND ((body IS NOT NULL) OR ((mac IS NULL) AND (cut IS NULL) AND (action <> 'erase'::text)))));

alter table change add constraint change_pkey PRIMARY KEY (ledger_id, luid, change);

alter table delivery add constraint delivery_pkey PRIMARY KEY (ledger_id, handle);

alter table delivery add constraint delivery_purpose_check CHECK ((purpose = ANY (ARRAY['prepare'::text, 'commit'::text, 'abort'::text, 'status'::text])));

alter table delivery add constraint delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text, 'erased'::text])));

alter table delivery_backlog add constraint delivery_backlog_pkey PRIMARY KEY (ledger_id, receiver);

alter table delivery_retry add constraint delivery_retry_owner_check CHECK ((owner = ANY (ARRAY['effect'::text, 'bridge'::text])));

alter table delivery_retry add constraint delivery_retry_pkey PRIMARY KEY (ledger_id, owner, id, slot);

alter table deployment add constraint deployment_pkey PRIMARY KEY (name);

alter table entry add constraint entry_pkey PRIMARY KEY (ledger_id, wallet, symbol, version);

alter table erased_leaf add constraint erased_leaf_pkey PRIMARY KEY (ledger_id, luid, change);

alter table erased_proof add constraint erased_proof_pkey PRIMARY KEY (ledger_id, digest);

alter table home add constraint home_pkey PRIMARY KEY (ledger_id);

alter table kysely_migration add constraint kysely_migration_pkey PRIMARY KEY (name);

alter table kysely_migration_lock add constraint kysely_migration_lock_pkey PRIMARY KEY (id);

alter table lease add constraint lease_pkey PRIMARY KEY (ledger_id, worker, unit);

alter table ledger add constraint ledger_handle_key UNIQUE (handle);

alter table ledger add constraint ledger_luid_key UNIQUE (luid);

alter table ledger add constraint ledger_pkey PRIMARY KEY (id);

alter table log add constraint log_generation_check CHECK ((generation >= 1));

alter table log add constraint log_pkey PRIMARY KEY (ledger_id);

alter table log add constraint log_size_check CHECK ((size >= 0));

alter table log_backfill add constraint log_backfill_pkey PRIMARY KEY (ledger_id);

alter table log_leaf add constraint log_leaf_pkey PRIMARY KEY (ledger_id, luid, change);

alter table log_tile add constraint log_tile_pkey PRIMARY KEY (ledger_id, level, n);

alter table log_witness add constraint log_witness_pkey PRIMARY KEY (ledger_id, witness);

alter table open_intent add constraint open_intent_pkey PRIMARY KEY (ledger_id, luid);

alter table record add constraint record_ledger_id_handle_kind_key UNIQUE (ledger_id, handle, kind);

alter table record add constraint record_pkey PRIMARY KEY (ledger_id, luid);

alter table schedule add constraint schedule_pkey PRIMARY KEY (ledger_id, policy);

alter table secret add constraint secret_pkey PRIMARY KEY (ledger_id, luid, name);

alter table storage add constraint storage_pkey PRIMARY KEY (ledger_id);

alter table storage add constraint storage_quota_check CHECK ((quota >= 0));

alter table taken_key add constraint taken_key_pkey PRIMARY KEY (ledger_id, public);

alter table unsealed add constraint unsealed_pkey PRIMARY KEY (ledger_id, id);

alter table used_proof add constraint used_proof_pkey PRIMARY KEY (ledger_id, digest);

alter table used_token add constraint used_token_pkey PRIMARY KEY (ledger, use);

alter table wallet_limit add constraint wallet_limit_amount_check CHECK ((abs(amount) <= '9007199254740991'::bigint));

alter table wallet_limit add constraint wallet_limit_metric_check CHECK ((metric = ANY (ARRAY['minBalance'::text, 'maxBalance'::text, 'dailyAmount'::text, 'dailyCount'::text])));

alter table wallet_limit add constraint wallet_limit_pkey PRIMARY KEY (ledger_id, wallet, symbol, symbol_luid, metric);

alter table wallet_limit add constraint wallet_limit_version_check CHECK ((version >= 1));

CREATE INDEX delivery_aside ON public.delivery USING btree (ledger_id, COALESCE(effect, target), COALESCE(attempted, moment)) WHERE ((aside IS NOT NULL) AND (due IS NULL) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));

CREATE INDEX delivery_aside_since ON public.delivery USING btree (ledger_id, COALESCE(effect, target), aside) WHERE ((aside IS NOT NULL) AND (due IS NULL) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));

CREATE INDEX delivery_backlog_due ON public.delivery_backlog USING btree (ledger_id, due) WHERE (due IS NOT NULL);

CREATE INDEX delivery_bridge ON public.delivery USING btree (ledger_id, bridge, seq) WHERE (bridge IS NOT NULL);

CREATE INDEX delivery_due ON public.delivery USING btree (ledger_id, target, due) WHERE (due IS NOT NULL);

CREATE INDEX delivery_effect ON public.delivery USING btree (ledger_id, effect, seq) WHERE (effect IS NOT NULL);

CREATE INDEX delivery_given_up ON public.delivery USING btree (ledger_id, linked) WHERE (given_up IS NOT NULL);

CREATE INDEX delivery_retry_turn ON public.delivery_retry USING btree (ledger_id, worked);

CREATE INDEX ledger_owners ON public.ledger USING gin (owners);

CREATE UNIQUE INDEX log_leaf_first ON public.log_leaf USING btree (ledger_id, first);

CREATE INDEX log_unwitnessed ON public.log USING btree (ledger_id) WHERE (unwitnessed IS NOT NULL);

CREATE INDEX open_intent_deadline ON public.open_intent USING btree (ledger_id, deadline) WHERE (deadline IS NOT NULL);

CREATE INDEX open_intent_due ON public.open_intent USING btree (ledger_id, due) WHERE (due IS NOT NULL);

CREATE INDEX open_intent_thread ON public.open_intent USING btree (ledger_id, thread);

CREATE INDEX open_intent_uses ON public.open_intent USING gin (uses);

CREATE INDEX record_document ON public.record USING gin (document jsonb_path_ops) WITH (fastupdate=off);

CREATE INDEX record_domain ON public.record USING btree (ledger_id, domain, ((kind || ''::text)), moment DESC, seq) WHERE (domain IS NOT NULL);

CREATE INDEX record_key ON public.record USING btree (ledger_id, link, link_proven DESC, COALESCE(link_since, seq)) WHERE ((kind = ANY (ARRAY['signer'::text, 'signer-factor'::text])) AND (link IS NOT NULL));

CREATE INDEX record_link ON public.record USING btree (ledger_id, link, kind) WHERE (link IS NOT NULL);

CREATE INDEX record_newest ON public.record USING btree (ledger_id, ((kind || ''::text)), moment DESC, seq);

CREATE INDEX record_schedule ON public.record USING btree (ledger_id, luid) WHERE ((kind = 'policy'::text) AND (((document -> ((ledger_id)::text || '/policy'::text)) -> 'data.schema'::text) @> '["schedule"]'::jsonb));

CREATE INDEX record_status ON public.record USING btree (ledger_id, "left"(status, 100), ((kind || ''::text)), moment DESC, seq);

CREATE INDEX used_token_expiry ON public.used_token USING btree (expires_at);

create view version as
 SELECT ledger_id,
    luid,
    change,
    kind,
    action,
    moment,
    hash,
    mac,
        CASE
            WHEN (cut IS NULL) THEN body
            ELSE (COALESCE("left"(( SELECT w.body
               FROM change w
              WHERE ((w.ledger_id = c.ledger_id) AND (w.luid = c.luid) AND (w.change > c.change) AND (w.cut IS NULL))
              ORDER BY w.change
             LIMIT 1), cut), ''::text) || body)
        END AS body
   FROM change c;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.change FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

CREATE TRIGGER append_only_but_erasure BEFORE UPDATE ON public.change FOR EACH ROW EXECUTE FUNCTION refuse_rewriting_but_erasure();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
