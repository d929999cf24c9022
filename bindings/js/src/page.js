// The worker of the page that plans. It is the package's worker as one script in the page.

import { serve } from "./serve.js";

const take = serve((message) => self.postMessage(message));
self.addEventListener("message", (event) => take(event.data));
