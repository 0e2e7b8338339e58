package dev.rlm.tools.mcp;

import java.io.IOException;
import java.util.Map;

/** Address of a server. Safe for use by several threads. */
interface ServerAddress {
    /** Returns its name for messages, which holds no secret. */
    String label();

    /** Opens a new link to the server. */
    Link open() throws IOException;

    /** Returns attributes of the way there for every call's record, by the names of the semantic conventions. */
    Map<String, Object> attributes();
}
