// Time: of a live scene, which the server keeps; of recordings, which the page keeps and asks frames for.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const PATIENCE = 3000; // an answer that takes longer is lost [ms]

export class Timeline {
  constructor(parts, session, connection, redraw) {
    Object.assign(this, { parts, session, connection, redraw });
    this.playing = false;     // of recordings
    this.time = 0;            // [s]
    this.rate = 1;
    this.last = 0;            // when the clock was looked at [ms]
    this.asked = [-1, -1];    // frame that was last asked for
    this.askedAt = [0, 0];
    this.answered = [true, true];
    this.framesPerSecond = 60; // of the recording with most of them: that many places of the slider are a second [1/s]
    this.duration = 0;        // of the longest recording [s]
    this.isShown = true;      // whether the words tell the newest frame
    const { play, step, restart, slider, speed } = parts;
    speed.replaceChildren(...SPEEDS.map((value) => new Option(`${value}×`, value, value === 1, value === 1)));
    play.addEventListener("click", () => this.toggle());
    step.addEventListener("click", () => this.step(1));
    restart.addEventListener("click", () => this.restart());
    speed.addEventListener("change", () => this.setRate(Number(speed.value)));
    slider.addEventListener("input", () => this.scrub(Number(slider.value)));
    session.on("hello", (hello) => this.begin(hello));
    session.on("state", (state) => this.showState(state));
    session.on("frame", (run) => this.showFrame(run));
    session.on("missing", ({ run }) => { this.answered[run] = true; });
    // A refusal does not say which frame it is about: no answer is waited for any longer.
    session.on("refused", () => this.answered.fill(true));
  }

  get isLive() {
    return this.session.mode === "live";
  }

  begin(hello) {
    const playback = hello.mode === "playback", { slider, loopLabel } = this.parts;
    slider.hidden = loopLabel.hidden = !playback;
    this.asked.fill(-1);
    this.answered.fill(true);
    const { runs } = hello;
    this.duration = Math.max(0, ...runs.map(({ frames, framesPerSecond }) => frames / framesPerSecond)) || 0;
    if (playback && runs.length) {
      this.framesPerSecond = Math.max(...runs.map(({ framesPerSecond }) => framesPerSecond));
      slider.max = Math.round(this.duration * this.framesPerSecond);
      this.time = Math.min(this.time, this.duration);
    }
    this.redraw();
  }

  toggle() {
    if (this.isLive) return this.connection.say(this.session.state.playing ? "pause" : "play");
    if (!this.playing && this.time >= this.duration) this.time = 0;
    this.playing = !this.playing;
    this.last = performance.now();
    this.showPlaying(this.playing);
    if (!this.playing) this.moveSlider();
    this.redraw();
  }

  step(frames) {
    if (this.isLive) return frames > 0 && this.connection.say("step");
    this.playing = false;
    this.showPlaying(false);
    const rate = this.framesPerSecond;
    this.time = Math.max(0, Math.min(this.duration, (Math.round(this.time * rate) + frames) / rate));
    this.moveSlider();
    this.redraw();
  }

  restart() {
    if (this.isLive) return this.connection.say("restart");
    this.time = 0;
    this.moveSlider();
    this.redraw();
  }

  // The slider follows by itself unless it has the focus; here it has to.
  moveSlider() {
    this.parts.slider.value = Math.round(this.time * this.framesPerSecond);
  }

  setRate(value) {
    this.rate = value;
    if (this.isLive) this.connection.say("speed", { value });
  }

  scrub(frame) {
    this.time = Math.min(this.duration, frame / this.framesPerSecond);
    this.redraw();
  }

  // Moves the clock of recordings on and asks for what it shows.
  tick(now) {
    if (this.isLive || !this.session.runs.length) return;
    if (this.playing) {
      // A drawing's time is that of its beginning: it may be earlier than the press of Play.
      this.time += this.rate * Math.max(0, Math.min(0.25, (now - this.last) / 1000));
      if (this.time > this.duration) {
        if (this.parts.loop.checked && this.duration > 0) this.time %= this.duration;
        else {
          this.time = this.duration;
          this.playing = false;
          this.showPlaying(false);
        }
      }
    }
    this.last = Math.max(this.last, now);
    for (let k = 0; k < this.session.runs.length; k++) this.ask(k, now);
  }

  // Asks for the frame of a run at this time, unless it was asked for.
  ask(k, now) {
    const { info } = this.session.runs[k];
    const frame = Math.min(info.frames, Math.round(this.time * info.framesPerSecond));
    const waiting = !this.answered[k] && now - this.askedAt[k] < PATIENCE;
    if (waiting || frame === this.asked[k] && this.answered[k] || !this.connection.isOpen) return;
    this.asked[k] = frame;
    this.askedAt[k] = now;
    this.answered[k] = false;
    this.connection.want(k, frame);
  }

  // The colouring has changed: the same frames again.
  askAgain() {
    this.asked.fill(-1);
    this.redraw();
  }

  showState(state) {
    if (!this.isLive) return;
    this.showPlaying(state.playing);
    const { speed } = this.parts;
    if (document.activeElement !== speed) speed.value = String(state.speed);
  }

  showPlaying(playing) {
    const { play } = this.parts;
    play.toggleAttribute("data-playing", playing);
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  showFrame(run) {
    const k = this.session.runs.indexOf(run);
    this.answered[k] = true;
    this.isShown = false;
  }

  // Tells the time of the frame that was drawn last.
  showTime() {
    const { cloth } = this.session, { time, slider } = this.parts;
    if (this.isShown || !cloth) return;
    this.isShown = true;
    const text = `${this.session.time.toFixed(2)} s`;
    if (time.textContent !== text) time.textContent = text;
    // Keys move a slider faster than frames come; a hand on it is not led.
    const held = this.playing ? slider.matches(":active") : document.activeElement === slider;
    if (!this.isLive && !held) this.moveSlider();
  }
}
