/** A receiver that sends interim answers without end. Prints its port. */
import { createServer } from "node:net";

const piece = "HTTP/1.1 102 Processing\r\n\r\n".repeat(2_000);
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once("drain", more);
  };
  socket.once("data", more);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
