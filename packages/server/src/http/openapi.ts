import type { Service } from '../service.js';

export function openApi(_service: Service): object {
  return {};
}
