import { closeIdle } from './http.js';

// The files of a worker share its servers. One may run for as long as a server keeps an idle connection of the file before it.
closeIdle();
