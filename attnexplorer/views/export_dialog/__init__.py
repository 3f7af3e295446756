"""The dialog that turns what is shown into a figure, with a live preview. It may import what `views` may."""
