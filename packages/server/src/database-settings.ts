import { parseInteger, readPath } from './config-values.js';
import { parseDatabaseUrl } from './store/hosts/database-url.js';

/** The settings of the database. */
export const databaseSettings = {
  databaseUrl: {
    name: 'DATABASE_URL',
    default: 'our own PostgreSQL in DATA_DIR',
    meaning:
      'The connection string of a PostgreSQL database of yours, `postgresql://user:password@host/database`, or of [several servers](database.md#several-servers) of which one takes writes. ' +
      '`DATABASE_URL_FILE` names a file that holds it.',
    isSecret: true,
    read: (text: string | undefined) => {
      if (text !== undefined) parseDatabaseUrl(text);
      return text;
    },
  },
  databaseWait: {
    name: 'DATABASE_WAIT',
    default: '`30`',
    meaning:
      'Seconds that a start waits for the database of DATABASE_URL where it is out of reach, as while it starts itself.',
    read: (text = '30') => parseInteger(text, 0, 86_400),
  },
  databaseRole: {
    name: 'DATABASE_ROLE',
    default: 'none',
    meaning:
      'The role that servers connect with, where `--migrate` connects with another one, which owns the tables: it is granted [what serving needs](database.md#roles), and no more.',
    read: (text: string | undefined) => text,
  },
  backupDir: {
    name: 'BACKUP_DIR',
    default: 'off',
    meaning:
      'The folder of [backups](backup.md#the-embedded-database) of our own PostgreSQL, on another disk: its write-ahead log is copied there every five seconds, so that a backup can be restored to any later moment. Not with `DATABASE_URL`.',
    read: (text: string | undefined) => (text === undefined ? undefined : readPath(text)),
  },
} as const;
