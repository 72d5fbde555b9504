const asked = new EventTarget();

/** Opens the dialog to sign in. */
export function askToSignIn(): void {
  asked.dispatchEvent(new Event('asked'));
}

/** Calls `open` on each `askToSignIn`. @returns a function that stops it */
export function whenSignInIsAsked(open: () => void): () => void {
  asked.addEventListener('asked', open);
  return () => asked.removeEventListener('asked', open);
}
