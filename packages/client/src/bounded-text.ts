import { AnswerError } from './errors.js';

/** The text of an answer, of which no more is read than the bound. @throws AnswerError for more */
export async function collectText(response: Response, maxBytes = 16 * 1024 * 1024): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new AnswerError('size', `The answer is larger than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}
