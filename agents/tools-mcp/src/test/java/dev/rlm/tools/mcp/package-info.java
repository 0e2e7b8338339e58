@NullMarked
package dev.rlm.tools.mcp;

import org.jspecify.annotations.NullMarked;
