package dev.rlm.tools.mcp;

import java.io.IOException;
import java.util.Map;

/** Where a server is to be had. Safe for use by several threads. */
interface Endpoint {
    /** What it is called in messages; holds no secret. */
    String label();

    /** A way to the server, which nobody has used yet. */
    Link open() throws IOException;

    /** What every call's record says of the way there, by the names of the semantic conventions. */
    Map<String, Object> attributes();
}
