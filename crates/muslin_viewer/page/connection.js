// The socket to the server. It comes back by itself when the server does.
//
// What is said for every frame is said in bytes, from room that is kept; everything else as JSON. `message.rs` has both.

const ACKNOWLEDGE = 1, WANT = 2; // kinds of messages in bytes

const FIRST_PAUSE = 400, LONGEST_PAUSE = 4000; // between attempts [ms]

export class Connection {
  // `hear` gets texts as objects and binary messages as buffers; `changed` gets "open" or "lost".
  constructor(hear, changed) {
    this.hear = hear;
    this.changed = changed;
    this.pause = FIRST_PAUSE;
    this.socket = null;
    this.drawn = new Uint32Array([ACKNOWLEDGE, 0]);
    this.wanted = new Uint32Array([WANT, 0, 0]);
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

  // Looks whether the server is there before a socket is opened: a socket or a file that fails is an error in the
  // console, a frame is not. It loads in any case; only a document of ours can be looked into.
  wait() {
    const probe = document.createElement("iframe");
    probe.hidden = true;
    probe.onload = () => {
      const alive = probe.contentDocument?.title === "alive";
      probe.remove();
      if (alive) return this.open();
      setTimeout(() => this.wait(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
    probe.src = `alive.html?${Date.now()}`;
    document.body.append(probe);
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // A frame was drawn.
  acknowledge(sequence) {
    this.drawn[1] = sequence;
    if (this.isOpen) this.socket.send(this.drawn);
  }

  // A frame of a recording is wanted.
  want(run, frame) {
    this.wanted[1] = run;
    this.wanted[2] = frame;
    if (this.isOpen) this.socket.send(this.wanted);
  }

  // Says something, if anybody listens.
  say(type, more) {
    if (this.isOpen) this.socket.send(JSON.stringify({ type, ...more }));
  }
}
