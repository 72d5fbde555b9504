import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { text } from '../text/en.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { agreeTo, isAgreed } from './servers.js';

/** The server of the address, where it is another than the one that the page came from. */
export function useForeignServer(): string | undefined {
  return useSearch({ strict: false }).server;
}

/** Names a server by its origin, whose letters are those of the browser's address bar. */
export function ServerName({ server }: { readonly server: string }) {
  return <Plain value={new URL(server).origin} most={200} />;
}

/** Shows who is asked to sign in at another server that it is one, and what is inside once they agree. */
export function AgreeFirst({ children }: { readonly children: ReactNode }) {
  const server = useForeignServer();
  const [, agree] = useState<string>();
  if (server === undefined) return children;
  const isOpen = isAgreed(server);
  return (
    <>
      <Notice tone="warn" title={text.server.other}>
        <p>
          <strong>
            <ServerName server={server} />
          </strong>
        </p>
        <p>{text.server.about}</p>
        {!isOpen && (
          <button
            type="button"
            onClick={() => {
              agreeTo(server);
              agree(server);
            }}
          >
            {text.server.agree}
          </button>
        )}
      </Notice>
      {isOpen && children}
    </>
  );
}
