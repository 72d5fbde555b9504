import type { CliCommand } from '../description/command.js';
import { accessExplain } from './access/access-explain.js';
import { circleAdd, circleRemove } from './access/circle-members.js';
import { oauthSetup } from './access/oauth-setup.js';
import { oauthToken } from './access/oauth-token.js';
import { signerRegister } from './access/signer-register.js';
import { adminBackup } from './admin/backup.js';
import { adminCheckDatabase } from './admin/check-database.js';
import { adminCluster } from './admin/cluster.js';
import { adminDoctor } from './admin/doctor.js';
import { adminDrain } from './admin/drain.js';
import { adminIntents } from './admin/intents.js';
import { adminInvitations } from './admin/invitations.js';
import { adminInvite } from './admin/invite.js';
import { adminLedger } from './admin/ledger.js';
import { adminLedgers } from './admin/ledgers.js';
import { adminQuota } from './admin/quota.js';
import { adminReadOnly } from './admin/read-only.js';
import { adminRestore } from './admin/restore.js';
import { adminResume } from './admin/resume.js';
import { adminRotateKey } from './admin/rotate-key.js';
import { adminSuspend } from './admin/suspend.js';
import { eraseCommand } from './archive/erase.js';
import { exportCommand } from './archive/export.js';
import { importCommand } from './archive/import.js';
import { logRestart } from './archive/log-restart.js';
import { verifyCommand } from './archive/verify.js';
import { completionCommand } from './completion.js';
import { keyCreate } from './key/create.js';
import { keyExport } from './key/export.js';
import { keyImport } from './key/import.js';
import { keyList } from './key/list.js';
import { layoutApply } from './layout/apply.js';
import { layoutDiff } from './layout/diff.js';
import { layoutShow } from './layout/show.js';
import { ledgerCreate } from './ledger/create.js';
import { ledgerList } from './ledger/list.js';
import { ledgerSelect } from './ledger/select.js';
import { intentCreate } from './money/intent-create.js';
import { intentAbort, intentCommit } from './money/intent-decide.js';
import { walletBalances } from './money/wallet-balances.js';
import { walletLimits } from './money/wallet-limits.js';
import { recordCommands } from './records/all.js';
import { watchCommand } from './records/watch.js';
import { connectServer } from './server/connect.js';
import { contextList } from './server/context-list.js';
import { contextSelect } from './server/context-select.js';
import { curl } from './server/curl.js';
import { init } from './server/init.js';
import { proxy } from './server/proxy.js';
import { receive } from './server/receive.js';
import { serveCommand } from './server/serve.js';
import { status } from './server/status.js';
import { witness } from './server/witness.js';

/** Commands that were written one by one. A new one gets its line here. */
const SPECIAL_COMMANDS: readonly CliCommand[] = [
  init,
  connectServer,
  status,
  serveCommand,
  proxy,
  witness,
  receive,
  curl,
  contextList,
  contextSelect,
  keyCreate,
  keyImport,
  keyList,
  keyExport,
  ledgerCreate,
  ledgerSelect,
  ledgerList,
  accessExplain,
  signerRegister,
  circleAdd,
  circleRemove,
  oauthSetup,
  oauthToken,
  walletBalances,
  walletLimits,
  intentCreate,
  intentCommit,
  intentAbort,
  layoutShow,
  layoutDiff,
  layoutApply,
  watchCommand,
  verifyCommand,
  eraseCommand,
  exportCommand,
  importCommand,
  logRestart,
  adminLedgers,
  adminLedger,
  adminSuspend,
  adminResume,
  adminQuota,
  adminInvite,
  adminInvitations,
  adminIntents,
  adminRotateKey,
  adminReadOnly,
  adminCluster,
  adminDrain,
  adminDoctor,
  adminCheckDatabase,
  adminBackup,
  adminRestore,
  completionCommand(() => COMMANDS),
];

/** Every command, in the order in which help and pages show them. */
export const COMMANDS: readonly CliCommand[] = [...SPECIAL_COMMANDS, ...recordCommands(SPECIAL_COMMANDS)];
