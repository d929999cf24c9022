// The worker of the page that plans: the package's, as one script in the page.

import { serve } from "./serve.js";

const take = serve((message) => self.postMessage(message));
self.addEventListener("message", (event) => take(event.data));
