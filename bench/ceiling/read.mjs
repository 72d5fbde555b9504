import Fastify from 'fastify';

/** A bare fastify route that answers from memory, with what was last put into it. */
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
let body = '';

app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (_, text, done) => done(null, text));
app.put('/body', (request, reply) => {
  body = request.body;
  reply.send();
});
app.get('/v2/wallets/:id', answer);
app.get('/v2/wallets', answer);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
console.log('listening on it');

function answer(_, reply) {
  reply.type('application/json; charset=utf-8').send(body);
}
