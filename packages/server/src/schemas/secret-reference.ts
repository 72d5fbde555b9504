/** Source of the pattern of a secret reference (interface/signers#secrets). */
export const SECRET_PATTERN = '^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$';

/** What to do about a secret in the clear, whose refusal shows the pattern alone (interface/errors#hints). */
export const SECRET_HINT =
  'Data holds no secret, since it is signed and served: write {{ secret.name }} in its place, and send the value in ' +
  'meta.secret.name. It is stored sealed.';
