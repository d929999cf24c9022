// Browsers start no worker for a page that is opened from a folder. The search of MkDocs' theme wants one: here it runs
// in a hidden frame. The frame's window is what the worker's script has as its global object.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.documentElement.append(frame)
      const inside = frame.contentWindow
      const send = data => this.dispatchEvent(new MessageEvent("message", {data}))
      inside.postMessage = data => setTimeout(() => send(data))
      const load = src => new Promise((done, failed) => {
        const script = inside.document.createElement("script")
        Object.assign(script, {src, onload: done, onerror: failed})
        inside.document.documentElement.append(script)
      })
      inside.importScripts = (...scripts) => scripts.reduce((before, src) => before.then(() => load(src)), Promise.resolve())
      inside.addEventListener("error", e => this.dispatchEvent(new ErrorEvent("error", {message: e.message})))
      const loaded = load(url)
      this.postMessage = data => loaded.then(() => inside.dispatchEvent(new inside.MessageEvent("message", {data})))
      this.terminate = () => frame.remove()
    }
  }
}
