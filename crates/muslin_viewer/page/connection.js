// The socket to the server. It comes back by itself when the server does.

const FIRST_PAUSE = 400, LONGEST_PAUSE = 4000; // between attempts [ms]

export class Connection {
  // `hear` gets texts as objects and binary messages as buffers; `changed` gets "open" or "lost".
  constructor(hear, changed) {
    this.hear = hear;
    this.changed = changed;
    this.pause = FIRST_PAUSE;
    this.socket = null;
    this.open();
  }

  open() {
    const url = new URL("socket", location.href);
    url.protocol = "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.changed("open");
    };
    socket.onmessage = ({ data }) => this.hear(typeof data === "string" ? JSON.parse(data) : data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.changed("lost");
      setTimeout(() => this.wait(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
    this.socket = socket;
  }

  // Looks whether the server is there before a socket is opened: a socket that fails is an error in the console, a
  // picture that fails to load is none.
  wait() {
    const probe = new Image();
    probe.onload = () => this.open();
    probe.onerror = () => {
      setTimeout(() => this.wait(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
    probe.src = `icon.svg?${Date.now()}`;
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Says something, if anybody listens.
  say(type, more) {
    if (this.isOpen) this.socket.send(JSON.stringify({ type, ...more }));
  }
}
