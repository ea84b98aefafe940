// Keeps the servers of the suite on this machine: they listen without an address, that is on
// every interface. The suite reads their port at once, so the address is put in where Node no
// longer waits for a name to be resolved.
"use strict";

const { Server } = require("node:net");

const listen = Server.prototype._listen2;
Server.prototype._listen2 = function (address, ...rest) {
  return listen.call(this, address ?? "127.0.0.1", ...rest);
};
