export { openServer, type Server, type ServerOptions } from './app.js';
