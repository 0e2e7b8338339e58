/** Takes events from programs in any language, fills in what they leave out, and feeds them to the sinks. */
@NullMarked
package dev.rlm.recorder;

import org.jspecify.annotations.NullMarked;
