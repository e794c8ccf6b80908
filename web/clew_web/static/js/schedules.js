/* The Schedules page: what is deleted is asked about first. */
import { letDelete } from "./delete_dialog.js";

letDelete((id) => `/schedules/${encodeURIComponent(id)}`);
