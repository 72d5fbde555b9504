const asked = new EventTarget();

/** Asks who looks to sign in, from wherever they were refused. */
export function askToSignIn(): void {
  asked.dispatchEvent(new Event('asked'));
}

/** @returns what ends the listening */
export function whenSignInIsAsked(open: () => void): () => void {
  asked.addEventListener('asked', open);
  return () => asked.removeEventListener('asked', open);
}
