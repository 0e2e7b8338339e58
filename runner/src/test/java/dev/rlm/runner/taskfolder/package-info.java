@NullMarked
package dev.rlm.runner.taskfolder;

import org.jspecify.annotations.NullMarked;
