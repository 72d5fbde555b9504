// Prints the TypeScript types of the OpenAPI document that comes on standard input, as its users generate them.
import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';

process.stdout.write(astToString(await openapiTS(JSON.parse(await text(process.stdin)))));
