import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** Whom a rule is for, in words (interface/access#rules). */
export function forWhom({ signer, bearer, policy }: JsonObject): string {
  if (policy !== undefined) return 'It is for those whom the values of its policies name.';
  const conditions = [
    ...(signer === undefined ? [] : [`whoever signs ${matcherText(signer, signerText)}`]),
    ...(bearer === undefined ? [] : [`whoever has a token ${matcherText(bearer, bearerText)}`]),
  ];
  if (conditions.length === 0) return 'It is for everyone, also without a token.';
  return `It is for ${conditions.join(', and also ')}.`;
}

function matcherText(matcher: Json, textOf: (matcher: JsonObject) => string): string {
  if (!isObject(matcher)) return JSON.stringify(matcher);
  const { $in: several, ...rest } = matcher;
  if (!Array.isArray(several)) return textOf(matcher);
  const any = several.map((one) => matcherText(one, textOf)).join(', or ');
  return Object.keys(rest).length === 0 ? any : `${textOf(rest)}, and ${any}`;
}

function signerText(matcher: JsonObject): string {
  const parts = Object.entries(matcher).map(([name, value]) => {
    if (name === 'public') return `with the key ${valueText(value)}`;
    if (name === 'handle') return `as the signer ${valueText(value)}`;
    if (name === '$circle') return `as a member of the circle ${valueText(value)}`;
    if (name === '$ledger') return 'as an owner of the ledger';
    if (name === '$record') return 'as an owner of the record';
    return `as a signer whose ${name} is ${valueText(value)}`;
  });
  return parts.join(' and ') || 'with any key';
}

function bearerText(matcher: JsonObject): string {
  const parts = Object.entries(matcher).map(([name, value]) => {
    if (name === '$signer') return `made ${matcherText(value, signerText)}`;
    return `whose ${name} is ${valueText(value)}`;
  });
  return parts.join(' and ') || 'of any kind';
}

function valueText(value: Json): string {
  if (typeof value === 'string') return value;
  if (isObject(value) && Object.keys(value).length === 1 && Array.isArray(value.$in)) {
    return value.$in.map(valueText).join(' or ');
  }
  return JSON.stringify(value);
}
