/**
 * The tools of Model Context Protocol servers, for agents. A server is a {@linkplain dev.rlm.tools.mcp.CommandEndpoint
 * program} that is started, or found at a {@linkplain dev.rlm.tools.mcp.UrlEndpoint URL}; the protocol is the official SDK's.
 */
@NullMarked
package dev.rlm.tools.mcp;

import org.jspecify.annotations.NullMarked;
