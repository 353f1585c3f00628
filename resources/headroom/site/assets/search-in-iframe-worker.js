// SPDX-License-Identifier: Apache-2.0
// The search of the site, which a worker does. (MkDocs looks for "iframe-worker" in this name.)
{
  // The search takes a hyphen for "without". Words with hyphens, such as RFC3095-5.7.1-2, are requests for all of
  // their parts, of which the last may go on unless it is the number of a requirement. An option, such as --max-cid, is a title.
  const whole = (word) => {
    const field = word.startsWith("--") ? "title:" : "";
    const parts = word.split("-").filter(Boolean);
    const last = parts.pop();
    if (last === undefined) return "";
    const wanted = parts.map((part) => `+${field}${part}`);
    if (field) return [...wanted, `+${field}${last}*`, `${field}${last}^100`].join(" ");
    const complete = parts.length > 1 && /^\d+$/.test(last) && !word.endsWith("-");
    return [...wanted, `+${last}${complete ? "" : "*"}`].join(" ");
  };
  const words = (query) => query.replaceAll('"', " ").replace(/\S*-\S*/g, whole);
  const SEARCH = 2; // the type of a message that holds what the user typed
  const rewritten = (message) =>
    message?.type === SEARCH && typeof message.data === "string"
      ? { ...message, data: /\S-|-\S/.test(message.data) ? words(message.data) : message.data }
      : message;

  const OfServer = window.Worker;

  class OverHttp extends OfServer {
    postMessage(message) {
      super.postMessage(rewritten(message));
    }
  }

  // Browsers start no worker for a page that was opened as a file: its script runs in a hidden frame instead.
  class FromFile extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>search</title>";
      this.frame.onload = () => this.start(url);
      document.body.append(this.frame);
    }

    start(url) {
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inner.document.createElement("script");
      script.onload = () => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach((message) => this.postMessage(message));
      };
      script.src = new URL(url, document.baseURI);
      inner.document.body.append(script);
    }

    postMessage(message) {
      if (this.waiting) this.waiting.push(message);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: rewritten(message) }));
    }
  }

  window.Worker = location.protocol === "file:" ? FromFile : OverHttp;
}
