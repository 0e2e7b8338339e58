/** The verb {@code gateway}: forwards the calls of agents to their models, and records them. */
@NullMarked
package dev.rlm.gateway;

import org.jspecify.annotations.NullMarked;
