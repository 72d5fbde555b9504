export { openServer, type Server, type ServerOptions } from './server.js';
